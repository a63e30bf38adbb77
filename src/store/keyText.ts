/** A deduplication key as a store keeps it: 16 hexadecimal digits. */
export const toKeyText = (key: bigint): string => BigInt.asUintN(64, key).toString(16).padStart(16, '0')
