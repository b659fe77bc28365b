# A use of the app, for the shell of a phone on which it is in front (docs/graph.md).
# `cmd alarm advance` is a command of the virtual phone. On another phone, wait ten minutes instead.

input keyevent KEYCODE_2 KEYCODE_3 KEYCODE_1   # from the main to the second, the third, and the main screen
input keyevent KEYCODE_3 KEYCODE_2 KEYCODE_1   # the other way round
input keyevent KEYCODE_2
input keyevent KEYCODE_4 KEYCODE_4 KEYCODE_4   # the second screen starts MyService three times
input keyevent KEYCODE_3
input keyevent KEYCODE_5                       # the third screen sets the alarm of MyService2
cmd alarm advance 600
input keyevent KEYCODE_7 KEYCODE_1
input keyevent KEYCODE_4 KEYCODE_6             # the main screen starts MyService and binds to MyService3
input keyevent KEYCODE_2 KEYCODE_6             # the second screen binds to the same MyService3
input keyevent KEYCODE_8                       # the second screen closes itself in favour of the main screen below it

am broadcast -a android.intent.action.BOOT_COMPLETED
svc wifi disable
svc wifi enable
dumpsys battery unplug
dumpsys battery set level 10
dumpsys battery reset
