-- By app: moments over clients, for a weighted mean and its clustered standard error. They add up over groups of clients.
-- Clients further than {limit} standard deviations from the app's mean are left out ({scale2}: the variance of noise, relative to
-- its estimate): an app that drains on few clients has a bug there, and is not a hog.
, judged AS (
    SELECT
        *, CASE WHEN w >= {least_s} AND (noise <= 0 OR ABS(s - beta * w) <= {limit} * SQRT({scale2} * noise + spread * w * w)) THEN 1 ELSE 0 END AS counts
    FROM weighed
)
SELECT
    app, COUNT(*) AS clients, SUM(pairs) AS pairs, SUM(ran_s) AS ran_s, SUM(drop_ppm) AS drop_ppm,
    SUM(counts) AS contrasted, SUM(counts * w) AS w, SUM(counts * s) AS s,
    SUM(counts * s * s) AS ss, SUM(counts * s * w) AS sw, SUM(counts * w * w) AS ww,
    SUM(counts * noise) AS noise
FROM judged GROUP BY app
