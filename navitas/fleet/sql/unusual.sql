-- Clients further than {limit} standard deviations from the mean of an app in `effect` ({scale2}: the variance of noise, relative
-- to its estimate).
SELECT client, app FROM weighed
WHERE w >= {least_s} AND noise > 0 AND ABS(s - beta * w) > {limit} * SQRT({scale2} * noise + spread * w * w)
