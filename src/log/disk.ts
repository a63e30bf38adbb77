import {
  close,
  closeSync,
  fdatasync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  unlinkSync,
  write,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The files of one folder. Offsets and lengths are in bytes. */
export type Disk = {
  list(): { name: string; bytes: number }[]
  /** Opens a file for reading and writing. `isNew`: it must not exist yet. */
  open(name: string, isNew: boolean): number
  /** Writes all bytes. They are not on disk before `sync`. */
  write(file: number, bytes: Uint8Array, at: number): Promise<void>
  sync(file: number): Promise<void>
  /** Makes new and deleted files durable. */
  syncDir(): Promise<void>
  /** Reads into `bytes`, and returns the number of bytes read. */
  read(file: number, bytes: Uint8Array, at: number): number
  unlink(name: string): void
  close(file: number): void
}

const writeSome = promisify(write)
const syncData = promisify(fdatasync)
const syncAll = promisify(fsync)
const closeFile = promisify(close)

/** Opens a folder, and creates it if it is missing. */
export function openDisk(folder: string): Disk {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    list: () => readdirSync(folder).map((name) => ({ name, bytes: statSync(join(folder, name)).size })),
    open: (name, isNew) => openSync(join(folder, name), isNew ? 'wx+' : 'r+', 0o600),
    async write(file, bytes, at) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeSome(file, bytes, done, bytes.length - done, at + done)
        done += bytesWritten
      }
    },
    sync: (file) => syncData(file),
    async syncDir() {
      const directory = openSync(folder, 'r')
      await syncAll(directory).finally(() => closeFile(directory))
    },
    read(file, bytes, at) {
      let done = 0
      while (done < bytes.length) {
        const count = readSync(file, bytes, done, bytes.length - done, at + done)
        if (count === 0) break
        done += count
      }
      return done
    },
    unlink: (name) => unlinkSync(join(folder, name)),
    close: (file) => closeSync(file),
  }
}
