/** The events by an index that begins with their bucket (migrations/0003-event-buckets.sql), as a FROM item. */
export const eventsBy = (index: 'user' | 'joined' | 'order'): string =>
  `event_bucket CROSS JOIN event INDEXED BY event_${index} ON event.bucket = event_bucket.no`

/** All purchases by an index that begins with their bucket (migrations/0004-purchase-buckets.sql), as a FROM item. */
export const purchasesBy = (column: 'hash' | 'event_hash'): string =>
  `event_bucket CROSS JOIN purchase INDEXED BY purchase_${column} ON purchase.bucket = event_bucket.no`
