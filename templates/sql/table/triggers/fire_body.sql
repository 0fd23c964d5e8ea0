BEGIN
{{calls}}
  RETURN {{row}};
END
