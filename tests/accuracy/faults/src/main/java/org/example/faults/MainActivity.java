package org.example.faults;

import android.app.Activity;
import android.content.Intent;
import android.content.IntentFilter;

/** The only screen. The extra `begin` names a rule of advice: the app then does what the rule is about, with the fault or without. */
public class MainActivity extends Activity {
    private static final int WARM_UPS = 20;
    private final ChargerReceiver charger = new ChargerReceiver();
    private boolean listens;

    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        stop();
        boolean fixed = intent.getBooleanExtra("fixed", false);
        switch (intent.getStringExtra("begin")) {
            case "warm-up":
                for (int i = 0; i < WARM_UPS; i++) {
                    Work.primes(Work.LIMIT);
                }
                break;
            case "exact-repeating-alarm":
                ReminderReceiver.set(this, fixed);
                break;
            case "frequent-periodic-start":
                SyncService.set(this, fixed);
                break;
            case "broadcast-storm":
                startService(new Intent(this, DownloadService.class).putExtra(DownloadService.FIXED, fixed));
                break;
            case "frequent-system-broadcast":
                listen(!fixed);
                break;
            default:
        }
    }

    /** The screen shows nothing of the charger, so the app without the fault does not listen. */
    private void listen(boolean listens) {
        if (listens) {
            IntentFilter filter = new IntentFilter(Intent.ACTION_POWER_CONNECTED);
            filter.addAction(Intent.ACTION_POWER_DISCONNECTED);
            registerReceiver(charger, filter);
        } else if (this.listens) {
            unregisterReceiver(charger);
        }
        this.listens = listens;
    }

    private void stop() {
        ReminderReceiver.cancel(this);
        SyncService.cancel(this);
        listen(false);
    }
}
