<?php
/**
 * Removes the settings. What is stored with orders stays.
 *
 * @package Aglet
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

foreach ( array( 'aglet_tag_url', 'aglet_key', 'aglet_since', 'aglet_refused' ) as $aglet_option ) {
	delete_option( $aglet_option );
}
if ( function_exists( 'as_unschedule_all_actions' ) ) {
	as_unschedule_all_actions( 'aglet_send_order', array(), 'aglet' );
}
