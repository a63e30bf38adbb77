const consentKeys = new Map<string, string>()

/**
 * The key of the consent in `storage`: `service` for the brand `Service`. Made once per brand, and taken
 * from an object's keys: V8 compiles a reader again at each call whose key is a new string.
 */
export function consentKey(brand: string): string {
  const known = consentKeys.get(brand)
  if (known !== undefined) return known
  const [key] = Object.keys({ [brand.charAt(0).toLowerCase() + brand.slice(1)]: true })
  consentKeys.set(brand, key!)
  return key!
}
