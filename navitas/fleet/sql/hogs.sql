-- By app: moments over clients, for a weighted mean and its clustered standard error. They add up over groups of clients.
-- Clients further than {limit} standard deviations from the app's mean are left out ({scale2}: the variance of noise, relative to
-- its estimate): an app that drains on few clients has a bug there, and is not a hog.
, judged AS (
    SELECT
        *, CASE WHEN weight > 0 AND w >= {least_s} AND (noise <= 0 OR ABS(s - beta * w) <= {limit} * SQRT({scale2} * noise + spread * w * w)) THEN 1 ELSE 0 END AS counts
    FROM weighed
), scaled AS (SELECT *, counts * weight * s AS one_s, counts * weight * w AS one_w FROM judged)
SELECT
    app, COUNT(*) AS clients, SUM(pairs) AS pairs, SUM(ran_s) AS ran_s, SUM(drop_ppm) AS drop_ppm,
    SUM(counts) AS contrasted, SUM(one_w) AS w, SUM(one_s) AS s,
    SUM(one_s * one_s) AS ss, SUM(one_s * one_w) AS sw, SUM(one_w * one_w) AS ww,
    SUM(counts * weight * weight * noise) AS noise
FROM scaled GROUP BY app
