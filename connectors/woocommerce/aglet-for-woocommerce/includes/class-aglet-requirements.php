<?php
/**
 * What the plug-in needs, and what it is compatible with.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Checks versions.
 */
class Aglet_Requirements {
	/**
	 * Why the plug-in cannot run; empty if it can.
	 *
	 * @return string
	 */
	public static function missing() {
		if ( version_compare( PHP_VERSION, '7.4', '<' ) ) {
			return 'Aglet for WooCommerce needs PHP 7.4 or newer.';
		}
		if ( ! defined( 'WC_VERSION' ) || version_compare( WC_VERSION, '8.0', '<' ) ) {
			return 'Aglet for WooCommerce needs WooCommerce 8.0 or newer.';
		}
		return '';
	}

	/**
	 * Refuses the activation with the reason.
	 *
	 * @return void
	 */
	public static function refuse_activation() {
		$missing = self::missing();
		if ( '' === $missing ) {
			return;
		}
		deactivate_plugins( plugin_basename( AGLET_WC_FILE ) );
		wp_die( esc_html( $missing ), '', array( 'back_link' => true ) );
	}

	/**
	 * Declares that orders are read by WooCommerce's classes alone, and that the block checkout is known.
	 *
	 * @return void
	 */
	public static function declare_features() {
		$features = '\Automattic\WooCommerce\Utilities\FeaturesUtil';
		if ( ! class_exists( $features ) ) {
			return;
		}
		foreach ( array( 'custom_order_tables', 'cart_checkout_blocks' ) as $feature ) {
			call_user_func( array( $features, 'declare_compatibility' ), $feature, AGLET_WC_FILE, true );
		}
	}
}
