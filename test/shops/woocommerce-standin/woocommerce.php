<?php
/**
 * Plugin Name: WooCommerce (a stand-in for tests)
 * Version: 9.4.1
 *
 * The classes, functions and hooks of WooCommerce that the plug-in uses, written from WooCommerce's documentation. It is not
 * WooCommerce: orders are rows of one table of its own, as High-Performance Order Storage keeps them apart from posts.
 */

namespace Automattic\WooCommerce\Utilities {
	class FeaturesUtil {
		public static $declared = array();
		public static function declare_compatibility( $feature, $file, $positive = true ) {
			self::$declared[ $feature ] = $positive;
			return true;
		}
	}
}

namespace {
	define( 'WC_VERSION', '9.4.1' );
	class WC_DateTime extends DateTime {}

	class WC_Order {
		public $data = array();
		public function __construct( $id = 0 ) {
			global $wpdb;
			$row        = $id ? $wpdb->get_var( $wpdb->prepare( "SELECT data FROM {$wpdb->prefix}wc_standin WHERE id = %d", $id ) ) : null;
			$this->data = $row ? json_decode( $row, true ) : array( 'id' => 0, 'status' => 'pending', 'meta' => array(), 'refunds' => array() );
		}
		public function get_id() { return (int) $this->data['id']; }
		public function get_type() { return 'shop_order'; }
		public function get_total() { return $this->data['total']; }
		public function get_currency() { return 'EUR'; }
		public function get_order_number() { return (string) $this->data['id']; }
		public function get_order_key() { return $this->data['order_key']; }
		public function get_date_created() { return new WC_DateTime( '@' . $this->data['created'] ); }
		public function get_meta( $key ) { return $this->data['meta'][ $key ] ?? ''; }
		public function update_meta_data( $key, $value ) { $this->data['meta'][ $key ] = $value; }
		public function delete_meta_data( $key ) { unset( $this->data['meta'][ $key ] ); }
		public function save() {
			global $wpdb;
			$is_new                 = 0 === $this->get_id();
			$this->data['modified'] = time();
			if ( $is_new ) {
				$this->data['created']   = time();
				$this->data['order_key'] = 'wc_order_' . wp_generate_password( 13, false );
				$wpdb->insert( "{$wpdb->prefix}wc_standin", array( 'data' => '{}' ) );
				$this->data['id'] = $wpdb->insert_id;
			}
			$wpdb->update( "{$wpdb->prefix}wc_standin", array( 'data' => wp_json_encode( $this->data ) ), array( 'id' => $this->get_id() ) );
			if ( $is_new ) {
				do_action( 'woocommerce_new_order', $this->get_id(), $this );
			}
			return $this->get_id();
		}
		public function update_status( $to ) {
			$from                 = $this->data['status'];
			$this->data['status'] = $to;
			$this->save();
			do_action( 'woocommerce_order_status_changed', $this->get_id(), $from, $to, $this );
		}
		public function payment_complete() {
			$this->data['paid'] = time();
			$this->update_status( 'processing' );
			do_action( 'woocommerce_payment_complete', $this->get_id(), '' );
		}
	}

	function wc_get_order( $id ) {
		$order = new WC_Order( $id instanceof WC_Order ? $id->get_id() : (int) $id );
		return $order->get_id() ? $order : false;
	}

	class WC_REST_Orders_Controller {
		public function prepare_object_for_response( $order, $request ) {
			$gmt  = fn( $at ) => $at ? gmdate( 'Y-m-d\TH:i:s', $at ) : null;
			$data = $order->data;
			$meta = array();
			foreach ( $data['meta'] as $key => $value ) {
				$meta[] = array( 'id' => count( $meta ) + 1, 'key' => $key, 'value' => $value );
			}
			return new WP_REST_Response(
				array(
					'id'                  => $order->get_id(),
					'status'              => $data['status'],
					'currency'            => 'EUR',
					'date_created_gmt'    => $gmt( $data['created'] ),
					'date_modified_gmt'   => $gmt( $data['modified'] ),
					'date_paid_gmt'       => $gmt( $data['paid'] ?? null ),
					'discount_total'      => '0.00',
					'shipping_total'      => '5.00',
					'total'               => $order->get_total(),
					'total_tax'           => '19.00',
					'customer_id'         => 0,
					'order_key'           => $order->get_order_key(),
					'billing'             => array( 'first_name' => 'Ada', 'last_name' => 'Lovelace', 'city' => 'Berlin', 'postcode' => '10115', 'country' => 'DE', 'email' => $data['email'], 'phone' => '' ),
					'customer_ip_address' => $data['ip'] ?? '',
					'customer_user_agent' => $data['agent'] ?? '',
					'created_via'         => $data['via'] ?? 'checkout',
					'number'              => $order->get_order_number(),
					'meta_data'           => $meta,
					'line_items'          => array( array( 'id' => 1, 'name' => 'Mug', 'product_id' => 93, 'variation_id' => 0, 'quantity' => 2, 'total' => '95.00', 'total_tax' => '19.00', 'sku' => 'MUG-1', 'price' => 47.5 ) ),
					'coupon_lines'        => array(),
					'refunds'             => $data['refunds'],
				)
			);
		}
	}

	/** Action Scheduler: actions are rows, run by whoever calls `standin_run_actions`. */
	function standin_actions( $change = null ) {
		$actions = get_option( 'standin_actions', array() );
		if ( null !== $change ) {
			$actions = $change( $actions );
			update_option( 'standin_actions', $actions, false );
		}
		return $actions;
	}
	function as_schedule_single_action( $at, $hook, $args = array(), $group = '' ) {
		$action = compact( 'at', 'hook', 'args', 'group' );
		standin_actions( fn( $all ) => array_merge( $all, array( $action ) ) );
		return 1;
	}
	function as_enqueue_async_action( $hook, $args = array(), $group = '' ) {
		return as_schedule_single_action( 0, $hook, $args, $group );
	}
	function as_has_scheduled_action( $hook, $args = null, $group = '' ) {
		foreach ( standin_actions() as $action ) {
			if ( $action['hook'] === $hook && ( null === $args || $action['args'] === $args ) && $action['group'] === $group ) {
				return true;
			}
		}
		return false;
	}
	function as_unschedule_all_actions( $hook, $args = array(), $group = '' ) {
		standin_actions( fn( $all ) => array_values( array_filter( $all, fn( $each ) => $each['hook'] !== $hook ) ) );
	}
	function standin_run_actions( $until ) {
		$due = array_filter( standin_actions(), fn( $each ) => $each['at'] <= $until );
		standin_actions( fn( $all ) => array_values( array_filter( $all, fn( $each ) => $each['at'] > $until ) ) );
		foreach ( $due as $action ) {
			do_action_ref_array( $action['hook'], $action['args'] );
		}
		return count( $due );
	}

	register_activation_hook(
		__FILE__,
		function () {
			global $wpdb;
			$wpdb->query( "CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_standin (id BIGINT AUTO_INCREMENT PRIMARY KEY, data LONGTEXT NOT NULL)" );
		}
	);
	add_action( 'plugins_loaded', fn() => do_action( 'before_woocommerce_init' ), -1 );
}
