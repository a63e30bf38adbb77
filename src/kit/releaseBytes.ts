const leastLength = 32 * 1024

/**
 * Frees the memory of a long buffer that nobody reads any more; it is empty afterwards. Without this call the memory stays in use
 * until the next garbage collection, when hundreds of bodies may wait. A part of another buffer is left as it is.
 */
export function releaseBytes({ length, buffer }: Uint8Array): void {
  if (length >= leastLength && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
