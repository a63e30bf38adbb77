import type { Disk } from './disk.ts'

const sectorBytes = 512

type FakeFile = {
  name: string
  /** The content that the process reads: the cache of the system. */
  bytes: Buffer
  size: number
  /** The content that is sure to survive a crash. */
  stored: Buffer
  storedSize: number
  /** Sectors that were written but are not stored. */
  dirty: Set<number>
  /** Its directory entry is stored. */
  isNamed: boolean
  isDeleted: boolean
}

/** The process has crashed during a call of the disk. */
class Crash extends Error {}

export type FakeDisk = Disk & {
  /** The number of calls so far that change the disk. */
  calls(): number
  /** Whether the process has ended. */
  hasEnded(): boolean
  /** The process crashes at this call, which is carried out in part. */
  crashAt(call: number): void
  /** This sync fails. Some of the unsynced writes are lost at the next crash, though they can still be read until then. */
  failSync(call: number): void
  /** The disk that the next process finds: some of the unsynced sectors are stored, in any order. */
  afterCrash(): FakeDisk
  /** The bytes of all files. */
  dump(): Buffer
}

type State = { files: FakeFile[]; random: () => number }

const grown = (bytes: Buffer, size: number) =>
  bytes.length >= size ? bytes : Buffer.concat([bytes, Buffer.alloc(size)])

/** Stores a sector of a file. */
function store(file: FakeFile, sector: number): void {
  const from = sector * sectorBytes
  const to = Math.min(from + sectorBytes, file.size)
  file.stored = grown(file.stored, to)
  file.bytes.copy(file.stored, from, from, to)
  file.storedSize = Math.max(file.storedSize, to)
}

/** A disk in memory that loses unsynced data in a crash. `random`: from 0 up to 1, seeded. */
export function createFakeDisk(random: () => number, files: FakeFile[] = []): FakeDisk {
  const state: State = { files, random }
  const opened = new Map<number, FakeFile>()
  let calls = 0
  let crashesAt = Number.POSITIVE_INFINITY
  let failing = -1
  let isOver = false
  let handles = 0

  /** Counts a call; true if the process ends in it. */
  function step(): boolean {
    if (isOver) throw new Crash()
    calls++
    isOver = calls === crashesAt
    return isOver
  }
  /** Stores each unsynced sector with roughly this probability, which is often rounded to none or all. */
  function storeSome(file: FakeFile, share: number): void {
    const probability = share < 0.25 ? 0 : share > 0.75 ? 1 : share
    for (const sector of file.dirty) if (random() < probability) store(file, sector)
  }
  const find = (name: string) => state.files.find((file) => file.name === name && !file.isDeleted)
  function put(file: FakeFile, bytes: Uint8Array, at: number): void {
    const end = at + bytes.length
    file.bytes = grown(file.bytes, end)
    file.bytes.set(bytes, at)
    file.size = Math.max(file.size, end)
    for (let sector = Math.floor(at / sectorBytes); sector * sectorBytes < end; sector++) file.dirty.add(sector)
  }
  return {
    list: () => state.files.filter(({ isDeleted }) => !isDeleted).map(({ name, size }) => ({ name, bytes: size })),
    open(name, isNew) {
      const known = find(name)
      if (isNew === (known !== undefined))
        throw Object.assign(new Error(`${name}: ${isNew ? 'EEXIST' : 'ENOENT'}`), { code: isNew ? 'EEXIST' : 'ENOENT' })
      const blank = { size: 0, storedSize: 0, isNamed: false, isDeleted: false }
      const file = known ?? {
        name,
        bytes: Buffer.alloc(0),
        stored: Buffer.alloc(0),
        dirty: new Set<number>(),
        ...blank,
      }
      if (!known) {
        if (step()) throw new Crash()
        state.files.push(file)
      }
      opened.set(++handles, file)
      return handles
    },
    async write(handle, bytes, at) {
      const ends = step()
      put(opened.get(handle)!, ends ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes, at)
      if (ends) throw new Crash()
    },
    async sync(handle) {
      const file = opened.get(handle)!
      const ends = step()
      const hasFailed = calls === failing
      if (!ends) storeSome(file, hasFailed ? random() : 1)
      if (!ends) file.dirty.clear()
      if (ends) throw new Crash()
      if (hasFailed) throw new Error('EIO')
    },
    async syncDir() {
      if (step()) throw new Crash()
      for (const file of state.files) file.isNamed = true
      state.files = state.files.filter(({ isDeleted }) => !isDeleted)
    },
    read(handle, bytes, at) {
      const { bytes: all, size } = opened.get(handle)!
      const count = Math.max(0, Math.min(bytes.length, size - at))
      bytes.set(all.subarray(at, at + count))
      return count
    },
    unlink(name) {
      if (step()) throw new Crash()
      find(name)!.isDeleted = true
    },
    close: (handle) => void opened.delete(handle),
    calls: () => calls,
    hasEnded: () => isOver,
    crashAt(call) {
      crashesAt = call
    },
    failSync(call) {
      failing = call
    },
    afterCrash() {
      const survivors = state.files.filter(({ isNamed }) => isNamed || random() < 0.5)
      for (const file of survivors) {
        storeSome(file, random())
        file.dirty.clear()
        file.bytes = Buffer.from(file.stored)
        file.size = file.storedSize
        file.isNamed = true
        file.isDeleted = false
      }
      return createFakeDisk(random, survivors)
    },
    dump: () => Buffer.concat(state.files.map(({ stored }) => stored)),
  }
}
