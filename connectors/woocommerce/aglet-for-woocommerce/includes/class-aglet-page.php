<?php
/**
 * The pages of the shop.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Loads the SDK, tells it the answers of the Consent API, and reports the purchase on the thank-you page. Nothing about a
 * person is written into a page, because page caches would show it to others.
 */
class Aglet_Page {
	const QUEUE   = 'window.aglet=window.aglet||function(){var c=arguments;return new Promise(function(r){(aglet.q=aglet.q||[]).push([r,c])})};aglet("init");';
	const CONSENT = 'if(window.wp_has_consent){var agletConsent=function(){var yes=function(name){return wp_has_consent(name)};aglet("consent",{},{consentCategories:{analytics:yes("statistics"),advertising:yes("marketing"),functional:yes("preferences")}})};document.addEventListener("wp_listen_for_consent_change",agletConsent);if(window.wp_consent_type||wp_has_consent("statistics")||wp_has_consent("marketing"))agletConsent()}';

	/**
	 * Adds the hooks.
	 *
	 * @return void
	 */
	public static function hook() {
		add_action( 'wp_enqueue_scripts', array( __CLASS__, 'load' ) );
		add_action( 'woocommerce_thankyou', array( __CLASS__, 'report' ) );
	}

	/**
	 * Loads the SDK of the tag.
	 *
	 * @return void
	 */
	public static function load() {
		if ( '' === Aglet_Options::tag_url() ) {
			return;
		}
		// The tag changes what it serves: no version of ours belongs in the address.
		wp_enqueue_script( 'aglet', Aglet_Options::tag_url() . '/load', array(), null, true ); // phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion
		wp_add_inline_script( 'aglet', self::QUEUE . 'aglet("tag","PageView");' . self::CONSENT, 'before' );
	}

	/**
	 * Reports the purchase. It has the id of the server's half, and the digest of the order key by which both know each other.
	 *
	 * @param int $order_id The order's id.
	 * @return void
	 */
	public static function report( $order_id ) {
		$order = '' === Aglet_Options::tag_url() ? false : wc_get_order( $order_id );
		if ( ! $order ) {
			return;
		}
		$purchase = array(
			'value'    => (float) $order->get_total(),
			'currency' => $order->get_currency(),
			'orderId'  => $order->get_order_number(),
		);
		$more     = array(
			'eventId' => 'purchase-' . $order->get_id(),
			'source'  => array(
				'name' => 'woocommerce',
				'type' => 'page',
				'join' => substr( hash( 'sha256', 'woocommerce checkout ' . $order->get_order_key() ), 0, 32 ),
			),
		);
		$call     = sprintf( 'aglet("tag","Purchase",%s,%s);', wp_json_encode( $purchase, JSON_HEX_TAG ), wp_json_encode( $more, JSON_HEX_TAG ) );
		wp_print_inline_script_tag( self::QUEUE . $call );
	}
}
