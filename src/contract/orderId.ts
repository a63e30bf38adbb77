/** Normalises an order id for comparison: `gid://shopify/Order/123?x=y` becomes `123`, and one leading `#` is removed. */
export function normalOrderId(text: string): string {
  const trimmed = text.trim()
  const path = trimmed.startsWith('gid://') ? trimmed.split('?')[0]!.split('/').at(-1)! : trimmed
  return (path.startsWith('#') ? path.slice(1) : path).trim()
}
