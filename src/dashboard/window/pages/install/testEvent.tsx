/** Until the server can send a test event there is nothing to offer. */
export function TestEvent(_: { tagId: string }) {
  return null
}
