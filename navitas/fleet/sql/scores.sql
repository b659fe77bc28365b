-- By client: model and OS as reported last, the rate in use (the screen on at one end or both), and the rate of all pairs.
-- Each client has a row with screen = 0.
SELECT
    client, MAX_BY(model, CASE WHEN model IS NOT NULL THEN last_s END) AS model, MAX_BY(os, CASE WHEN os IS NOT NULL THEN last_s END) AS os,
    COALESCE(MIN(NULLIF(step_ppm, 0)), 0) AS step_ppm,
    CAST(SUM(CASE WHEN screen = 0 THEN samples ELSE 0 END) AS BIGINT) AS samples,
    CAST(SUM(CASE WHEN screen > 0 THEN seconds ELSE 0 END) AS DOUBLE) AS active_s,
    CAST(SUM(CASE WHEN screen > 0 THEN drop_ppm ELSE 0 END) AS DOUBLE) AS active_ppm,
    CAST(SUM(seconds) AS DOUBLE) AS seconds, CAST(SUM(drop_ppm) AS DOUBLE) AS drop_ppm
FROM clients GROUP BY client
