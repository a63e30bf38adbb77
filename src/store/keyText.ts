/** The stored form of a deduplication key: 16 hexadecimal digits. */
export const toKeyText = (key: bigint): string => BigInt.asUintN(64, key).toString(16).padStart(16, '0')
