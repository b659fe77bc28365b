package org.example.wakeups;

import android.app.Activity;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Bundle;
import android.view.KeyEvent;
import android.widget.TextView;

/**
 * The only screen. Key 1 uploads in the foreground, key 2 schedules synchronization every quarter of an hour, key 3 sets
 * a reminder every ten minutes, and key 4 backs up every quarter of an hour.
 */
public class MainActivity extends Activity {
    private final SyncedReceiver synced = new SyncedReceiver();

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        TextView help = new TextView(this);
        help.setText("1 upload, 2 synchronize, 3 remind every 10 minutes, 4 back up");
        setContentView(help);
        registerReceiver(synced, new IntentFilter(SyncJob.SYNCED));
    }

    @Override
    public boolean onKeyDown(int key, KeyEvent event) {
        switch (key - KeyEvent.KEYCODE_0) {
            case 1:
                startForegroundService(new Intent(this, UploadService.class));
                return true;
            case 2:
                SyncJob.schedule(this);
                return true;
            case 3:
                ReminderReceiver.set(this);
                return true;
            case 4:
                BackupWorker.enqueue(this);
                return true;
            default:
                return super.onKeyDown(key, event);
        }
    }

    /** An upload that a reminder has started brings this screen to the front when it is complete. */
    @Override
    protected void onNewIntent(Intent intent) {
        super.onNewIntent(intent);
        Work.primes(10_000);
    }

    @Override
    protected void onDestroy() {
        unregisterReceiver(synced);
        super.onDestroy();
    }
}
