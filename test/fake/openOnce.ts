import { after } from 'node:test'

const closings: (() => Promise<unknown>)[] = []
// scripts/test.ts imports this file before the files of a process, so that the hook runs after the last one of them
after(async () => {
  for (const close of closings.reverse()) await close()
})

/** A function that opens something at its first call, for all files of a process. It is closed after the last file. */
export function openOnce<Opened>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => Promise<unknown>,
): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined
  return () => {
    if (!opened) {
      opened = open()
      closings.push(async () => close(await opened!))
    }
    return opened
  }
}
