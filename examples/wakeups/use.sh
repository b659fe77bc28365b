# A use of the app, for the shell of a phone on which it is in front (docs/graph.md).
# `cmd alarm advance` is a command of the virtual phone. On another phone, wait an hour instead.

input keyevent KEYCODE_1 KEYCODE_1                     # two uploads
input keyevent KEYCODE_3                               # a reminder every ten minutes
am broadcast -a android.intent.action.BOOT_COMPLETED   # schedules the job, which runs at once
cmd alarm advance 60
input keyevent KEYCODE_2                               # schedules it again: at once, and every 15 minutes
cmd alarm advance 3660
cmd jobscheduler run -f org.example.wakeups 7
dumpsys battery unplug
dumpsys battery set level 10
dumpsys battery reset
