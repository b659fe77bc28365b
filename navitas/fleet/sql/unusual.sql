-- Clients further than {limit} standard deviations of their noise from the mean of an app in `effect`.
SELECT client, app FROM weighed
WHERE w >= {least_s} AND noise > 0 AND ABS(s - beta * w) > {limit} * SQRT(noise + spread * w * w)
