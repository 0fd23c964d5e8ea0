/** Lists of functions of PostgreSQL and its usual extensions by their effects, for the policy in functions.ts. */

/**
 * Built-ins named `pg_...` that only return information. PostgreSQL reserves that prefix. A function with the prefix that is not listed
 * signals processes, writes files, acts on the WAL or the statistics, or is newer than this list.
 */
export const informationBuiltins = names(`
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
  pg_xact_commit_timestamp_origin pg_xact_status`);

/** Name patterns of such built-ins. */
export const informationFamilies = /^pg_(?:get|stat_get)_|^pg_\w+_(?:is_visible|size)$/;

/** Other built-ins that a read may call. They compute, look something up, or change only the state of the connection's session. */
export const plainBuiltins = names(`
  abbrev abs acldefault aclexplode acos acosd acosh age any_value area array_agg array_append array_cat array_dims
  array_fill array_length array_lower array_ndims array_position array_positions array_prepend array_remove
  array_replace array_reverse array_sort array_to_json array_to_string array_to_tsvector array_upper ascii asin
  asind asinh atan atan2 atan2d atand atanh avg bit bit_and bit_count bit_length bit_or bit_xor bool bool_and
  bool_or box bpchar broadcast btrim bytea cardinality casefold cash_words cbrt ceil ceiling center char char_length
  character_length chr circle col_description concat concat_ws convert convert_from convert_to corr cos cosd cosh
  cot cotd count covar_pop covar_samp crc32 crc32c cume_dist current_database current_query current_schema
  current_schemas current_setting current_user date date_add date_bin date_part date_subtract date_trunc
  datemultirange daterange decode degrees dense_rank diagonal diameter div encode enum_first enum_last enum_range
  erf erfc every exp extract factorial family first_value float4 float8 floor format format_type gamma gcd
  generate_series generate_subscripts get_bit get_byte get_current_ts_config getdatabaseencoding getpgusername
  has_any_column_privilege has_column_privilege has_database_privilege has_foreign_data_wrapper_privilege
  has_function_privilege has_language_privilege has_largeobject_privilege has_parameter_privilege
  has_schema_privilege has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege
  has_type_privilege height host hostmask icu_unicode_version inet_client_addr inet_client_port inet_merge
  inet_same_family inet_server_addr inet_server_port initcap int2 int4 int4multirange int4range int8 int8multirange
  int8range interval is_normalized isempty isfinite json json_agg json_agg_strict json_array json_array_elements
  json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object json_each
  json_each_text json_exists json_extract_path json_extract_path_text json_object json_object_agg
  json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_object_keys json_objectagg
  json_populate_record json_populate_recordset json_query json_scalar json_serialize json_strip_nulls json_table
  json_to_record json_to_recordset json_to_tsvector json_typeof json_value jsonb jsonb_agg jsonb_agg_strict
  jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
  jsonb_each_text jsonb_exists jsonb_exists_all jsonb_exists_any jsonb_extract_path jsonb_extract_path_text
  jsonb_insert jsonb_object jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
  jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
  jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first
  jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_record_valid
  jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
  jsonb_to_tsvector jsonb_typeof jsonpath justify_days justify_hours justify_interval lag last_value lcm lead left
  length lgamma like like_escape line ln log log10 lower lower_inc lower_inf lpad lseg ltrim macaddr macaddr8
  macaddr8_set7bit make_date make_interval make_time make_timestamp make_timestamptz makeaclitem masklen max md5 min
  min_scale mod mode money multirange mxid_age name netmask network normalize notlike now npoints nth_value ntile
  num_nonnulls num_nulls numeric nummultirange numnode numrange obj_description octet_length oid overlaps overlay
  parse_ident path percent_rank percentile_cont percentile_disc phraseto_tsquery pi plainto_tsquery point polygon
  position pow power querytree quote_ident quote_literal quote_nullable radians radius range_agg range_intersect_agg
  range_merge rank regclass regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
  regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2
  regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round row_number row_security_active
  row_to_json rpad rtrim scale session_user set_bit set_byte set_masklen setweight sha224 sha256 sha384 sha512
  shobj_description sign similar_escape similar_to_escape sin sind sinh slope split_part sqrt starts_with
  statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strip strpos substr
  substring sum system_user tan tand tanh text time timestamp timestamptz timetz timezone to_ascii to_bin to_char
  to_date to_hex to_json to_jsonb to_number to_oct to_regclass to_regcollation to_regnamespace to_regoper
  to_regoperator to_regproc to_regprocedure to_regrole to_regtype to_regtypemod to_timestamp to_tsquery to_tsvector
  transaction_timestamp translate trim_array trim_scale trunc ts_debug ts_delete ts_filter ts_headline ts_lexize
  ts_parse ts_rank ts_rank_cd ts_token_type tsmultirange tsrange tstzmultirange tstzrange tsvector_to_array
  txid_current txid_current_if_assigned txid_current_snapshot txid_visible_in_snapshot unicode_assigned
  unicode_version unistr unnest upper upper_inc upper_inf uuid_extract_timestamp uuid_extract_version var_pop
  var_samp varbit varchar variance version websearch_to_tsquery width width_bucket xid xml xml_is_well_formed
  xml_is_well_formed_content xml_is_well_formed_document xmlagg xmlcomment xmlexists xmltext xmlvalidate xpath
  xpath_exists`);

/** Built-ins that types, operators, aggregates and triggers call, and that are rarely called by name. They only compute. */
export const innerBuiltins = names(`
  aclitemin aclitemout amvalidate anyarray_out anyarray_recv anyarray_send anycompatiblearray_out
  anycompatiblearray_recv anycompatiblearray_send anycompatiblemultirange_in anycompatiblemultirange_out
  anycompatiblerange_in anycompatiblerange_out anyenum_out anymultirange_in anymultirange_out anyrange_in anyrange_out
  anytextcat array_in array_out array_recv array_send bernoulli bpcharrecv bpcharsend brin_bloom_summary_recv
  brin_bloom_summary_send brin_minmax_multi_summary_recv brin_minmax_multi_summary_send cash_in cash_out cstring_recv
  cstring_send date_in date_out domain_in domain_recv dsnowball_init dsnowball_lexize enum_in enum_out enum_recv
  enum_send in_range interval_in interval_out interval_pl_timestamptz json_agg_strict_transfn json_agg_transfn
  json_object_agg_strict_transfn json_object_agg_transfn json_object_agg_unique_strict_transfn
  json_object_agg_unique_transfn jsonb_agg_finalfn jsonb_agg_strict_transfn jsonb_agg_transfn jsonb_object_agg_finalfn
  jsonb_object_agg_strict_transfn jsonb_object_agg_transfn jsonb_object_agg_unique_strict_transfn
  jsonb_object_agg_unique_transfn multirange_in multirange_out multirange_recv multirange_send namerecv namesend
  oidvectortypes range_in range_out range_recv range_send record_in record_out record_recv record_send regclassin
  regclassout regcollationin regcollationout regconfigin regconfigout regdictionaryin regdictionaryout regnamespacein
  regnamespaceout regoperatorin regoperatorout regoperin regoperout regprocedurein regprocedureout regprocin
  regprocout regrolein regroleout regtypein regtypeout suppress_redundant_updates_trigger system textanycat textrecv
  textsend time_in timestamp_in timestamp_out timestamptz_in timestamptz_mi_interval timestamptz_out
  timestamptz_pl_interval timetz_in ts_match_tq ts_match_tt tsvector_update_trigger tsvector_update_trigger_column
  unique_key_recheck varcharrecv varcharsend xml_in xml_recv xml_send`);

/** Name patterns of such built-ins: handlers and validators, estimates, comparisons of dates, foreign key triggers. */
export const innerFamilies =
  /^(?:RI_FKey_\w+|\w+(?:sel|_typanalyze|handler|_validator)|(?:date|timestamp|timestamptz)_(?:cmp|eq|ge|gt|le|lt|ne)_\w+)$/;

/** Built-ins that run a text as SQL, or run SQL that they build. */
export const textBuiltins = names(`
  query_to_xml query_to_xml_and_xmlschema query_to_xmlschema ts_rewrite ts_stat`);

/** Other built-ins with effects that READ ONLY does not prevent. */
export const effectBuiltins = names(`
  brin_desummarize_range brin_summarize_new_values brin_summarize_range gin_clean_pending_list lo_creat lo_create lo_export
  lo_from_bytea lo_import lo_put lo_truncate lo_truncate64 lo_unlink lowrite`);

/** Built-ins that READ ONLY restrains: they set sequences, open large objects, or read cursors and relations named by a text. */
export const restrainedBuiltins = names(`
  cursor_to_xml cursor_to_xmlschema database_to_xml database_to_xml_and_xmlschema database_to_xmlschema lo_close lo_get lo_lseek
  lo_lseek64 lo_open lo_tell lo_tell64 loread schema_to_xml schema_to_xml_and_xmlschema schema_to_xmlschema setval table_to_xml
  table_to_xml_and_xmlschema table_to_xmlschema`);

/** Functions of extensions, in any schema, with effects outside of the transaction. */
export const reachingExtensions =
  /^(?:dblink(?:_\w+)?|http(?:_(?:get|post|put|patch|delete|head))?|heap_force_(?:kill|freeze)|lo_manage)$/;

/** Other functions of PostgreSQL's own extensions with effects: on files, statistics, buffers, storage, locks, workers, notifications. */
export const effectExtensions = names(`
  autoprewarm_dump_now autoprewarm_start_worker bt_index_parent_check pg_buffercache_evict pg_buffercache_evict_all
  pg_buffercache_evict_relation pg_buffercache_mark_dirty pg_buffercache_mark_dirty_all pg_buffercache_mark_dirty_relation
  pg_file_rename pg_file_sync pg_file_unlink pg_file_write pg_logdir_ls pg_prewarm pg_stat_statements_reset
  pg_truncate_visibility_map postgres_fdw_disconnect postgres_fdw_disconnect_all triggered_change_notification`);

/** Functions of extensions that run a text as SQL. */
export const textExtensions = /^(?:crosstab\w*|connectby|xpath_table)$/;

/**
 * Functions of third-party extensions whose catalog entry does not show all their effects: they are IMMUTABLE or STABLE, or written in SQL
 * over others. User functions may have the same names, so these patterns apply only if the catalog assigns the function to an extension.
 */
export const foreignTexts = new RegExp(
  [
    // pgRouting: all except its version functions
    '^_?pgr_(?!(?:full_)?version$)\\w+$',
    // PostGIS: evaluates an expression for each pixel
    '^_?st_mapalgebra\\w*$',
    // PGroonga: takes names of a table and its columns and does not quote them
    '^pgroonga_query_expand$',
    // pgTAP
    '^(?:lives|throws|performs)_ok$|^throws_i?(?:like|matching)$|^performs_within$|^results_(?:eq|ne)$|^row_eq$',
    '^(?:set|bag)_(?:eq|ne|has|hasnt)$|^(?:is|isnt)_empty$|^(?:runtests|do_tap)$',
  ].join('|'),
);

/** Functions of Citus that act on other servers, and of oracle_fdw that act on Oracle's. */
export const foreignReaching =
  /^(?:master_run_on_worker|run_command_on_\w+|oracle_(?:diag|execute|close_connections))$/;

/** Schemas of extensions whose purpose is to act outside of the database: pg_cron, and those of Amazon's servers. */
export const reachingSchemas = names('cron aws_lambda aws_s3');

/** Functions in C of PostgreSQL's own extensions that only compute, although their results may change over time. */
export const plainExtensions = names(`
  _int_contained_joinsel _int_contained_sel _int_contains_joinsel _int_contains_sel _int_matchsel _int_overlap_joinsel
  _int_overlap_sel citextrecv citextsend pgroonga_score st_generatepoints show_limit similarity_op strict_word_similarity_commutator_op
  strict_word_similarity_op unaccent word_similarity_commutator_op word_similarity_op xml_valid`);

/** Volatile functions in C of PostgreSQL's own extensions that only return information, or set up the session. */
export const informationExtensionVolatiles = names(`
  brin_metapage_info brin_page_items brin_page_type brin_revmap_data bt_index_check bt_metap bt_multi_page_stats
  bt_page_items bt_page_stats fips_mode fsm_page_contents get_raw_page gin_index_check gin_leafpage_items
  gin_metapage_info gin_page_opaque_info gist_page_items gist_page_items_bytea gist_page_opaque_info
  hash_bitmap_info hash_metapage_info hash_page_items hash_page_stats hash_page_type heap_page_items
  heap_tuple_infomask_flags int_agg_final_array isn_weak normal_rand page_checksum page_header
  pg_buffercache_numa_pages pg_buffercache_pages pg_buffercache_summary pg_buffercache_usage_counts pg_check_frozen
  pg_check_visible pg_freespace pg_old_snapshot_time_mapping pg_relpages pg_stat_statements pg_stat_statements_info
  pg_visibility pg_visibility_map pg_visibility_map_summary pgrowlocks pgstatginindex pgstathashindex pgstatindex
  pgstattuple pgstattuple_approx postgres_fdw_get_connections set_limit ssl_cipher ssl_client_cert_present
  ssl_client_dn ssl_client_dn_field ssl_client_serial ssl_extension_info ssl_is_used ssl_issuer_dn ssl_issuer_field
  ssl_version tuple_data_split verify_heapam xslt_process`);

/** Volatile functions that write nothing except, by design, the state of a sequence or of the session. */
export const stageableVolatiles = names(`
  array_sample array_shuffle clock_timestamp current_query currtid2 currval gen_random_uuid lastval
  nextval pg_backend_pid pg_is_in_recovery pg_relation_size pg_sequence_last_value pg_sleep pg_sleep_for pg_sleep_until
  pg_table_size pg_total_relation_size random random_normal set_config setseed timeofday txid_status
  pg_xact_status uuidv4 uuidv7`);

/** Volatile functions of uuid-ossp and pgcrypto, in any schema. */
export const stageableExtensionVolatiles = names(`
  gen_random_bytes gen_random_uuid gen_salt pgp_pub_encrypt pgp_pub_encrypt_bytea pgp_sym_encrypt
  pgp_sym_encrypt_bytea uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
