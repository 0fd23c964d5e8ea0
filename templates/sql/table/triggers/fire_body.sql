DECLARE
  _stage_v_result {{row_type}};
BEGIN
{{calls}}
  RETURN {{row}};
END
