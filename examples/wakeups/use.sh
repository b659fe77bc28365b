# A use of the app, for the shell of a phone on which it is in front (docs/graph.md).
# `cmd alarm advance` is a command of the virtual phone. On another phone, wait an hour instead.

# WorkManager works on threads of its own. This waits until so many backups are verified, by its log.
verified() {
  until [ "$(logcat -d -s WM-WorkerWrapper | grep -c VerifyWorker)" -ge "$1" ]; do sleep 1; done
}

input keyevent KEYCODE_1 KEYCODE_1                     # two uploads
input keyevent KEYCODE_3                               # a reminder every ten minutes
am broadcast -a android.intent.action.BOOT_COMPLETED   # schedules the job, which runs at once
input keyevent KEYCODE_4                               # a backup at once, and every 15 minutes
verified 1
cmd alarm advance 60
input keyevent KEYCODE_2                               # schedules it again: at once, and every 15 minutes
for count in 2 3 4 5; do
  cmd alarm advance 915                                # together, an hour and a minute
  verified $count
done
cmd jobscheduler run -f org.example.wakeups 1000000
dumpsys battery unplug
dumpsys battery set level 10
dumpsys battery reset
