import com.segment.analytics.kotlin.core.Configuration;
import com.segment.analytics.kotlin.core.compat.ConfigurationBuilder;
import com.segment.analytics.kotlin.core.compat.JavaAnalytics;
import java.util.Map;

/**
 * An app that knows a write key and the host of its settings. It sends two events, and the others once it gets a byte of
 * input. It ends with its input.
 */
public final class App {
    public static void main(String[] args) throws Exception {
        Configuration configuration =
            new ConfigurationBuilder(args[0]).setApplication("shop").setFlushAt(50).setFlushInterval(1).build();
        configuration.setCdnHost(args[1]);
        JavaAnalytics analytics = new JavaAnalytics(configuration);
        analytics.identify("customer-42", Map.of("plan", "gold"));
        analytics.track("Order Completed", Map.of("order_id", "A-1001", "total", 59.98, "currency", "EUR"));
        analytics.flush();
        if (System.in.read() != -1) {
            for (int at = Integer.parseInt(args[2]) - 2; at > 0; at--)
                analytics.track("Level Reached", Map.of("level", at));
            analytics.flush();
            System.in.read();
        }
        System.exit(0);
    }
}
