SELECT 1;
-- new remark
SELECT 2;
