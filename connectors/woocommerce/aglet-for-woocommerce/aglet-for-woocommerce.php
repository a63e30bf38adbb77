<?php
/**
 * Plugin Name:          Aglet for WooCommerce
 * Description:          Sends the orders of the shop to an Aglet tag, with the visitor, the click ids and the consent.
 * Version:              0.1.0
 * Requires at least:    6.0
 * Requires PHP:         7.4
 * Requires Plugins:     woocommerce
 * WC requires at least: 8.0
 * License:              GPL-2.0-or-later
 * License URI:          https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:          aglet-for-woocommerce
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

define( 'AGLET_WC_VERSION', '0.1.0' );
define( 'AGLET_WC_FILE', __FILE__ );

require_once __DIR__ . '/includes/class-aglet-requirements.php';
require_once __DIR__ . '/includes/class-aglet-options.php';
require_once __DIR__ . '/includes/class-aglet-visitor.php';
require_once __DIR__ . '/includes/class-aglet-sender.php';
require_once __DIR__ . '/includes/class-aglet-page.php';
require_once __DIR__ . '/includes/class-aglet-admin.php';

register_activation_hook( __FILE__, array( 'Aglet_Requirements', 'refuse_activation' ) );
add_action( 'before_woocommerce_init', array( 'Aglet_Requirements', 'declare_features' ) );
add_action(
	'plugins_loaded',
	function () {
		if ( '' !== Aglet_Requirements::missing() ) {
			return;
		}
		Aglet_Visitor::hook();
		Aglet_Sender::hook();
		Aglet_Page::hook();
		Aglet_Admin::hook();
	}
);
