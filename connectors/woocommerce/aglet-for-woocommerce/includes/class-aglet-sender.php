<?php
/**
 * Sends orders.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Queues each change of an order in Action Scheduler, so that no checkout waits for a network, and sends the order as
 * WooCommerce's own webhooks do.
 */
class Aglet_Sender {
	const HOOK       = 'aglet_send_order';
	const GROUP      = 'aglet';
	const SENT       = '_aglet_sent';
	const ERROR      = '_aglet_error';
	const FAILED_AT  = '_aglet_failed_at';
	const TRIES      = '_aglet_tries';
	const GIVE_UP    = 7 * DAY_IN_SECONDS;
	const LONGEST    = 6 * HOUR_IN_SECONDS;
	const TIMEOUT    = 3;
	const MAX_ANSWER = 65536;

	/**
	 * Adds the hooks: each way in which an order is made, paid, changed or refunded.
	 *
	 * @return void
	 */
	public static function hook() {
		$hooks = array(
			'woocommerce_new_order',
			'woocommerce_checkout_order_processed',
			'woocommerce_payment_complete',
			'woocommerce_order_status_changed',
			'woocommerce_order_refunded',
		);
		foreach ( $hooks as $hook ) {
			add_action( $hook, array( __CLASS__, 'queue' ), 20 );
		}
		add_action( 'woocommerce_store_api_checkout_order_processed', array( __CLASS__, 'queue_order' ), 20 );
		add_action( self::HOOK, array( __CLASS__, 'send' ) );
	}

	/**
	 * Queues an order once, however many hooks ran.
	 *
	 * @param int|string $order_id The order's id.
	 * @return void
	 */
	public static function queue( $order_id ) {
		$args = array( (int) $order_id );
		if ( Aglet_Options::is_complete() && ! as_has_scheduled_action( self::HOOK, $args, self::GROUP ) ) {
			as_enqueue_async_action( self::HOOK, $args, self::GROUP );
		}
	}

	/**
	 * The same for a hook that gives the order.
	 *
	 * @param WC_Order $order The order.
	 * @return void
	 */
	public static function queue_order( $order ) {
		self::queue( $order->get_id() );
	}

	/**
	 * The order as the REST API answers it.
	 *
	 * @param WC_Order $order The order.
	 * @return string JSON.
	 */
	public static function body( $order ) {
		$controller = new WC_REST_Orders_Controller();
		$request    = new WP_REST_Request( 'GET', '/wc/v3/orders/' . $order->get_id() );
		$response   = $controller->prepare_object_for_response( $order, $request );
		return (string) wp_json_encode( rest_get_server()->response_to_data( $response, false ) );
	}

	/**
	 * Sends an order. Called by Action Scheduler.
	 *
	 * @param int|string $order_id The order's id.
	 * @return void
	 */
	public static function send( $order_id ) {
		$order = wc_get_order( (int) $order_id );
		if ( ! $order || 'shop_order' !== $order->get_type() || ! Aglet_Options::is_complete() ) {
			return;
		}
		$made = $order->get_date_created();
		if ( $made && $made->getTimestamp() < Aglet_Options::since() ) {
			return;
		}
		$topic  = $order->get_meta( self::SENT ) ? 'order.updated' : 'order.created';
		$answer = self::post( $topic, self::body( $order ) );
		$status = is_wp_error( $answer ) ? 0 : (int) wp_remote_retrieve_response_code( $answer );
		if ( $status >= 200 && $status < 300 ) {
			self::note_sent( $order );
			return;
		}
		$reason = is_wp_error( $answer ) ? $answer->get_error_message() : 'HTTP ' . $status . ' ' . self::message( $answer );
		if ( 401 === $status ) {
			update_option( Aglet_Options::REFUSED, $reason, false );
		}
		self::try_again( $order, $reason );
	}

	/**
	 * Posts a body, signed.
	 *
	 * @param string $topic The topic of WooCommerce's webhooks.
	 * @param string $body  JSON.
	 * @return array|WP_Error
	 */
	private static function post( $topic, $body ) {
		// The algorithm of WooCommerce's own webhooks: base64 of the HMAC.
		$signature = base64_encode( hash_hmac( 'sha256', $body, Aglet_Options::key(), true ) ); // phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions.obfuscation_base64_encode
		return wp_remote_post(
			Aglet_Options::tag_url() . '/woocommerce/webhook',
			array(
				'timeout'             => self::TIMEOUT,
				'redirection'         => 0,
				'limit_response_size' => self::MAX_ANSWER,
				'user-agent'          => 'Aglet for WooCommerce/' . AGLET_WC_VERSION,
				'headers'             => array(
					'Content-Type'           => 'application/json',
					'X-WC-Webhook-Source'    => home_url( '/' ),
					'X-WC-Webhook-Topic'     => $topic,
					'X-WC-Webhook-Resource'  => 'order',
					'X-WC-Webhook-Event'     => substr( $topic, strlen( 'order.' ) ),
					'X-WC-Webhook-Signature' => $signature,
				),
				'body'                => $body,
			)
		);
	}

	/**
	 * The message of an answer of the tag.
	 *
	 * @param array $answer The answer.
	 * @return string
	 */
	private static function message( $answer ) {
		$json = json_decode( wp_remote_retrieve_body( $answer ), true );
		return is_array( $json ) && isset( $json['message'] ) ? substr( sanitize_text_field( (string) $json['message'] ), 0, 200 ) : '';
	}

	/**
	 * Notes that the tag has the order.
	 *
	 * @param WC_Order $order The order.
	 * @return void
	 */
	private static function note_sent( $order ) {
		foreach ( array( self::ERROR, self::FAILED_AT, self::TRIES ) as $key ) {
			$order->delete_meta_data( $key );
		}
		$order->update_meta_data( self::SENT, (string) time() );
		$order->save();
		if ( get_option( Aglet_Options::REFUSED ) ) {
			delete_option( Aglet_Options::REFUSED );
		}
	}

	/**
	 * Schedules the next try: after a minute, then twice as long each time, for seven days.
	 *
	 * @param WC_Order $order  The order.
	 * @param string   $reason What went wrong.
	 * @return void
	 */
	private static function try_again( $order, $reason ) {
		$tries     = (int) $order->get_meta( self::TRIES ) + 1;
		$failed_at = (int) $order->get_meta( self::FAILED_AT );
		$failed_at = $failed_at > 0 ? $failed_at : time();
		$order->update_meta_data( self::TRIES, (string) $tries );
		$order->update_meta_data( self::FAILED_AT, (string) $failed_at );
		$order->update_meta_data( self::ERROR, $reason );
		$order->save();
		if ( time() - $failed_at >= self::GIVE_UP ) {
			return;
		}
		$wait = min( self::LONGEST, MINUTE_IN_SECONDS * ( 2 ** min( $tries - 1, 10 ) ) );
		as_schedule_single_action( time() + $wait, self::HOOK, array( $order->get_id() ), self::GROUP );
	}
}
