/** Functions of PostgreSQL and of its usual extensions by what they do, for the policy in functions.ts. */

/**
 * Built-ins named `pg_...` that do nothing but tell something. That prefix is PostgreSQL's own, and what bears it and
 * is not listed signals processes, writes files, moves the log or the statistics, or is newer than this list.
 */
export const tellingBuiltins = names(`
  pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared pg_available_extension_versions
  pg_available_extensions pg_backend_pid pg_basetype pg_blocking_pids pg_char_to_encoding pg_client_encoding
  pg_collation_actual_version pg_collation_for pg_column_compression pg_column_is_updatable pg_column_size
  pg_column_toast_chunk_id pg_conf_load_time pg_config pg_control_checkpoint pg_control_init pg_control_recovery
  pg_control_system pg_current_logfile pg_current_snapshot pg_current_wal_flush_lsn pg_current_wal_insert_lsn
  pg_current_wal_lsn pg_current_xact_id pg_current_xact_id_if_assigned pg_cursor
  pg_database_collation_actual_version pg_describe_object pg_encoding_max_length pg_encoding_to_char
  pg_extension_update_paths pg_filenode_relation pg_has_role pg_identify_object pg_identify_object_as_address
  pg_index_column_has_property pg_index_has_property pg_indexam_has_property
  pg_indexam_progress_phasename pg_input_error_info pg_input_is_valid pg_is_in_recovery pg_is_other_temp_schema
  pg_is_wal_replay_paused pg_isolation_test_session_is_blocked pg_jit_available pg_last_committed_xact
  pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_listening_channels pg_lock_status
  pg_lsn pg_mcv_list_items pg_my_temp_schema pg_notification_queue_usage pg_numa_available pg_options_to_table
  pg_partition_ancestors pg_partition_root pg_partition_tree pg_postmaster_start_time pg_prepared_statement
  pg_prepared_xact pg_relation_filenode pg_relation_filepath pg_relation_is_publishable pg_relation_is_updatable
  pg_replication_origin_oid pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_sequence_parameters
  pg_settings_get_flags pg_show_all_settings pg_show_replication_origin_status pg_size_bytes pg_size_pretty pg_sleep
  pg_sleep_for pg_sleep_until pg_snapshot_xip pg_snapshot_xmax pg_snapshot_xmin pg_split_walfile_name
  pg_stat_clear_snapshot pg_stat_force_next_flush pg_stat_have_stats pg_tablespace_databases pg_tablespace_location
  pg_timezone_abbrevs pg_timezone_abbrevs_abbrevs pg_timezone_abbrevs_zone pg_timezone_names pg_trigger_depth
  pg_typeof pg_visible_in_snapshot pg_wal_lsn_diff pg_walfile_name pg_walfile_name_offset pg_xact_commit_timestamp
  pg_xact_commit_timestamp_origin pg_xact_status
  pg_buffercache_pages pg_freespace pg_stat_statements pg_stat_statements_info pg_visibility pg_visibility_map`);

/** Whole families of such built-ins. */
export const tellingFamilies = /^pg_(?:get|stat_get)_|^pg_\w+_(?:is_visible|size)$/;

/** Other built-ins with effects that READ ONLY does not stop, or that run SQL which nobody has judged. */
export const harmfulBuiltins = names(`
  brin_desummarize_range brin_summarize_new_values brin_summarize_range gin_clean_pending_list
  lo_creat lo_create lo_export lo_from_bytea lo_import lo_put lo_truncate lo_truncate64 lo_unlink lowrite
  query_to_xml query_to_xml_and_xmlschema query_to_xmlschema ts_rewrite ts_stat`);

/** Built-ins that PostgreSQL itself refuses in a read, but not in a write. */
export const harmfulInWrites = names('cursor_to_xml cursor_to_xmlschema setval');

/** Functions of extensions, in whatever schema these are, that reach beyond the transaction. */
export const harmfulExtensions =
  /^(?:dblink(?:_\w+)?|http(?:_(?:get|post|put|patch|delete|head))?|heap_force_(?:kill|freeze)|lo_manage)$/;

/** Functions of extensions that run SQL given as text. */
export const harmfulExtensionsInWrites = /^(?:crosstab\w*|connectby|xpath_table)$/;

/** Volatile functions that write nothing but, by design, the state of a sequence or of the session. */
export const stageableVolatiles = names(`
  array_sample array_shuffle clock_timestamp current_query currtid2 currval gen_random_uuid lastval nextval
  pg_backend_pid pg_is_in_recovery pg_relation_size pg_sequence_last_value pg_sleep pg_sleep_for pg_sleep_until
  pg_table_size pg_total_relation_size random random_normal set_config setseed timeofday txid_status
  pg_xact_status uuidv4 uuidv7`);

/** Volatile functions of uuid-ossp and pgcrypto, in whatever schema these are. */
export const stageableExtensionVolatiles = names(`
  gen_random_bytes gen_random_uuid gen_salt pgp_pub_encrypt pgp_pub_encrypt_bytea pgp_sym_encrypt
  pgp_sym_encrypt_bytea uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
