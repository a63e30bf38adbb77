import com.segment.analytics.kotlin.core.Configuration;
import com.segment.analytics.kotlin.core.compat.ConfigurationBuilder;
import com.segment.analytics.kotlin.core.compat.JavaAnalytics;
import java.util.Map;

/**
 * An app that knows a write key and the host of its settings. It tracks "Application Opened" for each 'o' of its input, sends
 * all its other events for a 'g', and ends with its input.
 */
public final class App {
    public static void main(String[] args) throws Exception {
        Configuration configuration =
            new ConfigurationBuilder(args[0]).setApplication("shop").setFlushAt(50).setFlushInterval(1).build();
        configuration.setCdnHost(args[1]);
        JavaAnalytics analytics = new JavaAnalytics(configuration);
        for (int order; (order = System.in.read()) != -1; ) {
            if (order == 'o') analytics.track("Application Opened");
            if (order == 'g') trackAll(analytics, Integer.parseInt(args[2]));
            analytics.flush();
        }
        System.exit(0);
    }

    private static void trackAll(JavaAnalytics analytics, int count) {
        analytics.identify("customer-42", Map.of("plan", "gold"));
        analytics.track("Order Completed", Map.of("order_id", "A-1001", "total", 59.98, "currency", "EUR"));
        for (int at = count - 2; at > 0; at--) analytics.track("Level Reached", Map.of("level", at));
    }
}
