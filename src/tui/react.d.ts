/** The subset of React's types that the terminal interface and Ink's types need; the package ships none. */
declare module 'react' {
  export type Key = string | number;
  export interface ReactElement {
    readonly type: unknown;
    readonly props: unknown;
    readonly key: Key | null;
  }
  export type ReactNode =
    | ReactElement
    | string
    | number
    | boolean
    | null
    | undefined
    | readonly ReactNode[];
  export type FC<P = object> = (props: P) => ReactNode;
  export type PropsWithChildren<P = object> = P & { readonly children?: ReactNode };
  export type ForwardRefExoticComponent<P> = (props: P) => ReactElement | null;
  export type RefAttributes<T> = { readonly ref?: { current: T | null } };
  export type Context<T> = {
    readonly Provider: FC<{ readonly value: T; readonly children?: ReactNode }>;
  };

  export function useReducer<S, A>(
    reducer: (state: S, action: A) => S,
    initial: S,
  ): [S, (action: A) => void];
  export function useEffect(
    effect: () => undefined | (() => void),
    inputs?: readonly unknown[],
  ): void;
  export function useLayoutEffect(
    effect: () => undefined | (() => void),
    inputs?: readonly unknown[],
  ): void;
  export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T;
  export function createElement(
    type: unknown,
    props?: object | null,
    ...children: ReactNode[]
  ): ReactElement;

  export namespace JSX {
    type Element = ReactElement;
    type ElementType = (props: never) => ReactNode;
    interface ElementChildrenAttribute {
      children: unknown;
    }
    interface IntrinsicAttributes {
      readonly key?: Key;
    }
  }
}

declare module 'react/jsx-runtime' {
  export { JSX } from 'react';
  export const Fragment: unique symbol;
  export function jsx(type: unknown, props: object, key?: unknown): import('react').ReactElement;
  export function jsxs(type: unknown, props: object, key?: unknown): import('react').ReactElement;
}
