<?php
/** Runs one step in WordPress: `php scenario.php <folder> <step> <json>` prints JSON. */
[ , $standin_folder, $standin_step, $standin_json ] = $argv;
$input = json_decode( $standin_json, true );
$_SERVER['HTTP_HOST']       = 'shop.example';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['REQUEST_URI']     = '/';
$_COOKIE                    = $input['cookies'] ?? array();
if ( 'install' === $standin_step ) {
	define( 'WP_INSTALLING', true );
}
if ( isset( $input['consent'] ) ) {
	$GLOBALS['standin_consent'] = $input['consent'];
	function wp_has_consent( $category ) {
		return $GLOBALS['standin_consent'][ $category ] ?? false;
	}
}
require $standin_folder . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';

function standin_order( $input ) {
	$order                = new WC_Order();
	$order->data['total'] = $input['total'] ?? '119.00';
	$order->data['email'] = $input['email'] ?? 'ada@example.com';
	$order->data['ip']    = '203.0.113.7';
	$order->data['agent'] = 'Mozilla/5.0 (buyer)';
	$order->data['via']   = $input['via'] ?? 'checkout';
	$order->save();
	return $order;
}

$answer = null;
switch ( $standin_step ) {
	case 'install':
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		wp_install( 'Shop', 'admin', 'admin@example.com', false, '', 'password' );
		update_option( 'home', 'http://shop.example' );
		update_option( 'siteurl', 'http://shop.example' );
		break;
	case 'activate':
		$answer = array();
		foreach ( $input['plugins'] as $plugin ) {
			$result   = activate_plugin( $plugin );
			$answer[] = is_wp_error( $result ) ? $result->get_error_message() : 'active';
		}
		break;
	case 'settings':
		$answer = Aglet_Options::save( $input['tagUrl'], $input['key'] );
		break;
	case 'checkout':
		$order = standin_order( $input );
		if ( 'block' === ( $input['kind'] ?? 'classic' ) ) {
			do_action( 'woocommerce_store_api_checkout_order_processed', $order );
		} else {
			do_action( 'woocommerce_checkout_order_processed', $order->get_id(), array(), $order );
		}
		if ( $input['pays'] ?? true ) {
			wc_get_order( $order->get_id() )->payment_complete();
		}
		$answer = array( 'id' => $order->get_id(), 'key' => wc_get_order( $order->get_id() )->get_order_key() );
		break;
	case 'status':
		wc_get_order( $input['id'] )->update_status( $input['to'] );
		break;
	case 'refund':
		$order                    = wc_get_order( $input['id'] );
		$order->data['refunds'][] = array( 'id' => $input['refund'], 'reason' => '', 'total' => '-' . $input['amount'] );
		$order->save();
		do_action( 'woocommerce_order_refunded', $input['id'], $input['refund'] );
		break;
	case 'run':
		$answer = standin_run_actions( time() + ( $input['ahead'] ?? 0 ) );
		break;
	case 'state':
		$order  = wc_get_order( $input['id'] );
		$answer = array(
			'meta'     => $order->data['meta'],
			'actions'  => standin_actions(),
			'refused'  => get_option( 'aglet_refused', '' ),
			'declared' => Automattic\WooCommerce\Utilities\FeaturesUtil::$declared,
			'autoload' => $wpdb->get_var( "SELECT autoload FROM {$wpdb->options} WHERE option_name = 'aglet_key'" ),
			'list'     => array_map( fn( $row ) => json_decode( $row, true ), $wpdb->get_col( "SELECT data FROM {$wpdb->prefix}wc_standin ORDER BY id" ) ),
		);
		break;
	case 'page':
		ob_start();
		do_action( 'wp_enqueue_scripts' );
		wp_print_scripts( array( 'aglet' ) );
		do_action( 'woocommerce_thankyou', $input['id'] );
		$answer = ob_get_clean();
		break;
	case 'admin':
		require_once ABSPATH . 'wp-admin/includes/template.php';
		wp_set_current_user( 1 );
		get_user_by( 'id', 1 )->add_cap( 'manage_woocommerce' );
		wp_set_current_user( 0 );
		wp_set_current_user( 1 );
		ob_start();
		Aglet_Admin::show();
		Aglet_Admin::warn();
		Aglet_Admin::show_box( wc_get_order( $input['id'] ) );
		$answer = ob_get_clean();
		break;
	case 'uninstall':
		uninstall_plugin( 'aglet-for-woocommerce/aglet-for-woocommerce.php' );
		$answer = array( get_option( 'aglet_key', 'gone' ), get_option( 'aglet_tag_url', 'gone' ) );
		break;
}
echo "\n@@" . wp_json_encode( $answer );
