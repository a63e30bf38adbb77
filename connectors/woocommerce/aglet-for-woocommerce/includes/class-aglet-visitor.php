<?php
/**
 * The visitor who makes an order.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the visitor's id, cookies and consent with the order while the browser's request is there. The order may be sent
 * hours later.
 */
class Aglet_Visitor {
	const COOKIES  = array( '_fbp', '_fbc', '_ttp', '_ga', '_gcl_au', '_gcl_aw', '_scid', '_epik', '_uetmsclkid' );
	const CONSENTS = array(
		'analytics'   => 'statistics',
		'marketing'   => 'marketing',
		'preferences' => 'preferences',
	);

	/**
	 * Adds the hooks. The block checkout does not run that of the classic one.
	 *
	 * @return void
	 */
	public static function hook() {
		add_action( 'woocommerce_checkout_order_processed', array( __CLASS__, 'store_classic' ), 5, 3 );
		add_action( 'woocommerce_store_api_checkout_order_processed', array( __CLASS__, 'store' ), 5 );
	}

	/**
	 * The classic checkout.
	 *
	 * @param int            $order_id The order's id.
	 * @param array          $posted   The form.
	 * @param WC_Order|false $order    The order.
	 * @return void
	 */
	public static function store_classic( $order_id, $posted = array(), $order = false ) {
		self::store( $order ? $order : wc_get_order( $order_id ) );
	}

	/**
	 * Stores what is known of the visitor.
	 *
	 * @param WC_Order|false $order The order.
	 * @return void
	 */
	public static function store( $order ) {
		if ( ! $order ) {
			return;
		}
		$consent = self::consent();
		if ( null !== $consent ) {
			$order->update_meta_data( '_aglet_consent', (string) wp_json_encode( $consent ) );
		}
		if ( null === $consent || $consent['analytics'] || $consent['marketing'] ) {
			$user = self::cookie( 'tag_user_id' );
			if ( 1 === preg_match( '/^[A-Za-z0-9_.:-]{1,128}$/D', $user ) ) {
				$order->update_meta_data( '_aglet_user', $user );
			}
			foreach ( self::COOKIES as $name ) {
				$value = self::cookie( $name );
				if ( '' !== $value && strlen( $value ) <= 500 ) {
					$order->update_meta_data( $name, $value );
				}
			}
		}
		$order->save();
	}

	/**
	 * The answers by the WordPress Consent API; null without it, so that the answer that the tag stored decides.
	 *
	 * @return array<string,bool>|null
	 */
	public static function consent() {
		if ( ! function_exists( 'wp_has_consent' ) ) {
			return null;
		}
		$answers = array();
		foreach ( self::CONSENTS as $name => $category ) {
			$answers[ $name ] = (bool) wp_has_consent( $category );
		}
		return $answers;
	}

	/**
	 * A cookie of the request.
	 *
	 * @param string $name The name.
	 * @return string
	 */
	private static function cookie( $name ) {
		return isset( $_COOKIE[ $name ] ) ? sanitize_text_field( wp_unslash( $_COOKIE[ $name ] ) ) : '';
	}
}
