<?php
/**
 * The settings of the plug-in.
 *
 * @package Aglet
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads and saves the tag URL and the key.
 */
class Aglet_Options {
	const TAG_URL = 'aglet_tag_url';
	const KEY     = 'aglet_key';
	const SINCE   = 'aglet_since';
	const REFUSED = 'aglet_refused';

	/**
	 * The tag URL without a slash at the end; empty if it is not set.
	 *
	 * @return string
	 */
	public static function tag_url() {
		return untrailingslashit( (string) get_option( self::TAG_URL, '' ) );
	}

	/**
	 * The key that signs what is sent.
	 *
	 * @return string
	 */
	public static function key() {
		return (string) get_option( self::KEY, '' );
	}

	/**
	 * Whether orders can be sent.
	 *
	 * @return bool
	 */
	public static function is_complete() {
		return '' !== self::tag_url() && '' !== self::key();
	}

	/**
	 * Since when orders are sent: older ones may have been tracked by something else. Epoch seconds.
	 *
	 * @return int
	 */
	public static function since() {
		return (int) get_option( self::SINCE, 0 );
	}

	/**
	 * Saves the settings. An empty key keeps the one that is set, because it is never shown.
	 *
	 * @param string $tag_url The tag URL.
	 * @param string $key     The key, or an empty text.
	 * @return string Why they are refused; empty if they are saved.
	 */
	public static function save( $tag_url, $key ) {
		$url    = esc_url_raw( trim( $tag_url ), array( 'https', 'http' ) );
		$host   = (string) wp_parse_url( $url, PHP_URL_HOST );
		$is_own = in_array( $host, array( 'localhost', '127.0.0.1' ), true );
		if ( '' === $host || ( 'https' !== wp_parse_url( $url, PHP_URL_SCHEME ) && ! $is_own ) ) {
			return 'The tag URL must begin with https://';
		}
		$key = trim( $key );
		if ( '' !== $key && strlen( $key ) < 16 ) {
			return 'The key must have at least 16 characters.';
		}
		update_option( self::TAG_URL, $url );
		if ( '' !== $key ) {
			update_option( self::KEY, $key, false );
		}
		if ( 0 === self::since() ) {
			update_option( self::SINCE, time(), false );
		}
		delete_option( self::REFUSED );
		return '';
	}
}
