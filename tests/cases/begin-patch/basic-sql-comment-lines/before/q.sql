SELECT 1;
-- old remark
SELECT 2;
