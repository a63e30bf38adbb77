/** A 32-bit FNV-1a hash with the finalizer of MurmurHash3, so that ids that differ in one character spread evenly. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whether a visitor belongs to this share of all visitors. A larger share contains the visitors of every smaller share. */
export const isInSample = (userId: string, share: number): boolean => hash32(userId) < share * 2 ** 32
