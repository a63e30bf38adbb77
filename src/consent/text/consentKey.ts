const consentKeys = new Map<string, string>()

/**
 * The key of the consent in `storage`: `service` for the brand `Service`. Computed once per brand and as a property name: V8
 * recompiles a function again and again if it reads a property by any other string.
 */
export function consentKey(brand: string): string {
  const known = consentKeys.get(brand)
  if (known !== undefined) return known
  const [key] = Object.keys({ [brand.charAt(0).toLowerCase() + brand.slice(1)]: true })
  consentKeys.set(brand, key!)
  return key!
}
