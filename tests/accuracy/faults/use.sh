# A use of the app, for the shell of the virtual phone. Both variants get the same commands: FIXED is `true` or `false`.
# After each line `rails NAME`, the rails are read: the energy until the next line belongs to NAME.

begin() { am start -n org.example.faults/.MainActivity --activity-single-top --es begin $1 --ez fixed $FIXED; }
rails() { echo "rails $1"; cat /sys/bus/iio/devices/iio:device0/energy_value; }
minute() { cmd alarm advance 60 & sleep 0.6; wait; }
quarter() { for i in $(seq 15); do minute; done; sleep 2; }
end() { begin nothing; rails none; }  # the main thread handles everything before it

begin warm-up
sleep 2

rails rest
sleep 5
rails none

rails exact-repeating-alarm
begin exact-repeating-alarm
quarter
end

rails frequent-periodic-start
begin frequent-periodic-start
quarter
end

rails broadcast-storm
begin broadcast-storm
sleep 13
end

rails frequent-system-broadcast
begin frequent-system-broadcast
for i in $(seq 10); do
  dumpsys battery unplug
  sleep 0.6
  dumpsys battery set ac 1
  sleep 0.6
done
end
