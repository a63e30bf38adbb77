<?php
/**
 * The pages of the administrator.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * The settings, a notice when the tag refuses the key, and what became of each order.
 */
class Aglet_Admin {
	const PAGE  = 'aglet-for-woocommerce';
	const NONCE = 'aglet-settings';

	/**
	 * Adds the hooks.
	 *
	 * @return void
	 */
	public static function hook() {
		add_action( 'admin_menu', array( __CLASS__, 'add_page' ) );
		add_action( 'admin_post_aglet_save', array( __CLASS__, 'save' ) );
		add_action( 'admin_notices', array( __CLASS__, 'warn' ) );
		add_action( 'add_meta_boxes', array( __CLASS__, 'add_box' ) );
	}

	/**
	 * Adds the page of settings to the menu of WooCommerce.
	 *
	 * @return void
	 */
	public static function add_page() {
		add_submenu_page( 'woocommerce', 'Aglet', 'Aglet', 'manage_woocommerce', self::PAGE, array( __CLASS__, 'show' ) );
	}

	/**
	 * The page of settings. The key is never shown.
	 *
	 * @return void
	 */
	public static function show() {
		$error = isset( $_GET['aglet_error'] ) ? sanitize_text_field( wp_unslash( $_GET['aglet_error'] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification.Recommended
		?>
		<div class="wrap">
			<h1>Aglet</h1>
			<?php if ( '' !== $error ) : ?>
				<div class="notice notice-error"><p><?php echo esc_html( $error ); ?></p></div>
			<?php endif; ?>
			<form method="post" action="<?php echo esc_url( admin_url( 'admin-post.php' ) ); ?>">
				<input type="hidden" name="action" value="aglet_save">
				<?php wp_nonce_field( self::NONCE ); ?>
				<table class="form-table">
					<tr>
						<th scope="row"><label for="aglet_tag_url"><?php esc_html_e( 'Tag URL', 'aglet-for-woocommerce' ); ?></label></th>
						<td><input class="regular-text" id="aglet_tag_url" name="aglet_tag_url" type="url" required value="<?php echo esc_attr( Aglet_Options::tag_url() ); ?>"></td>
					</tr>
					<tr>
						<th scope="row"><label for="aglet_key"><?php esc_html_e( 'Key', 'aglet-for-woocommerce' ); ?></label></th>
						<td>
							<input class="regular-text" id="aglet_key" name="aglet_key" type="password" autocomplete="off">
							<p class="description">
								<?php echo esc_html( '' === Aglet_Options::key() ? __( 'Not set.', 'aglet-for-woocommerce' ) : __( 'Set. Leave it empty to keep it.', 'aglet-for-woocommerce' ) ); ?>
							</p>
						</td>
					</tr>
				</table>
				<?php submit_button(); ?>
			</form>
		</div>
		<?php
	}

	/**
	 * Saves the settings.
	 *
	 * @return void
	 */
	public static function save() {
		if ( ! current_user_can( 'manage_woocommerce' ) ) {
			wp_die( 'You may not change these settings.', '', array( 'response' => 403 ) );
		}
		check_admin_referer( self::NONCE );
		$tag_url = isset( $_POST['aglet_tag_url'] ) ? sanitize_text_field( wp_unslash( $_POST['aglet_tag_url'] ) ) : '';
		$key     = isset( $_POST['aglet_key'] ) ? sanitize_text_field( wp_unslash( $_POST['aglet_key'] ) ) : '';
		$error   = Aglet_Options::save( $tag_url, $key );
		$page    = admin_url( 'admin.php?page=' . self::PAGE );
		wp_safe_redirect( '' === $error ? $page : add_query_arg( 'aglet_error', rawurlencode( $error ), $page ) );
		exit;
	}

	/**
	 * Warns while the tag refuses the key. Orders wait up to seven days.
	 *
	 * @return void
	 */
	public static function warn() {
		$reason = get_option( Aglet_Options::REFUSED );
		if ( ! $reason || ! current_user_can( 'manage_woocommerce' ) ) {
			return;
		}
		printf(
			'<div class="notice notice-error"><p>%s %s</p></div>',
			esc_html__( 'Aglet refuses the key of this shop; orders wait for up to seven days.', 'aglet-for-woocommerce' ),
			esc_html( (string) $reason )
		);
	}

	/**
	 * Adds the box to the page of an order, wherever orders are stored.
	 *
	 * @return void
	 */
	public static function add_box() {
		$screen = function_exists( 'wc_get_page_screen_id' ) ? wc_get_page_screen_id( 'shop-order' ) : 'shop_order';
		add_meta_box( 'aglet', 'Aglet', array( __CLASS__, 'show_box' ), $screen, 'side' );
	}

	/**
	 * What became of the order.
	 *
	 * @param WP_Post|WC_Order $post_or_order The post, or the order.
	 * @return void
	 */
	public static function show_box( $post_or_order ) {
		$order = $post_or_order instanceof WP_Post ? wc_get_order( $post_or_order->ID ) : $post_or_order;
		if ( ! $order ) {
			return;
		}
		$error = (string) $order->get_meta( Aglet_Sender::ERROR );
		$sent  = (int) $order->get_meta( Aglet_Sender::SENT );
		if ( '' !== $error ) {
			echo '<p>' . esc_html__( 'Not sent:', 'aglet-for-woocommerce' ) . ' ' . esc_html( $error ) . '</p>';
		} elseif ( $sent > 0 ) {
			echo '<p>' . esc_html__( 'Sent:', 'aglet-for-woocommerce' ) . ' ' . esc_html( gmdate( 'Y-m-d H:i:s', $sent ) ) . ' UTC</p>';
		} else {
			echo '<p>' . esc_html__( 'Not sent yet.', 'aglet-for-woocommerce' ) . '</p>';
		}
	}
}
