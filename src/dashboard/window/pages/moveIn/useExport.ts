import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import type { ImportResult } from '#import/importResult.ts'
import type { ImportProduct } from '#import/json.ts'
import { readInWorker } from './readInWorker.ts'

type ExportState =
  | { is: 'none' }
  | { is: 'reading'; names: string[] }
  | { is: 'refused'; why: string }
  | { is: 'read'; names: string[]; result: ImportResult; report: string }

const [mostFiles, mostBytes] = [5_000, 20_000_000]

/** Why files are refused before they are read. */
function refusalOf(files: readonly File[]): string | undefined {
  if (files.length > mostFiles) return words.tooMany(files.length)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes > mostBytes ? words.tooLarge(Math.ceil(bytes / 1_000_000)) : undefined
}

/** The bytes by file name; files with the same name are kept apart. */
async function bytesOf(files: readonly File[]): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>()
  for (const [at, file] of files.entries())
    all.set(all.has(file.name) ? `${at} ${file.name}` : file.name, new Uint8Array(await file.arrayBuffer()))
  return all
}

/** The export that the person chose, read in a worker. A new choice aborts the previous read. */
export function useExport(providers: readonly ProviderRow[], onRead: (result: ImportResult) => void) {
  const [state, setState] = useState<ExportState>({ is: 'none' })
  const [product, setProduct] = useState<ImportProduct | ''>('')
  const files = useRef<readonly File[]>([])
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const read = async (wanted: ImportProduct | '') => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    const why = refusalOf(files.current)
    if (why !== undefined) return setState({ is: 'refused', why })
    const names = files.current.map(({ name }) => name)
    setState({ is: 'reading', names })
    const contents = await bytesOf(files.current).catch(() => undefined)
    const answer =
      contents &&
      (await readInWorker({ files: contents, product: wanted || undefined, providers: [...providers] }, own.signal))
    if (own.signal.aborted) return undefined
    if (answer && 'result' in answer) {
      onRead(answer.result)
      return setState({ is: 'read', names, ...answer })
    }
    const isSlow = answer && 'tooSlow' in answer
    return setState({
      is: 'refused',
      why: answer && 'refused' in answer ? answer.refused : isSlow ? words.tooSlow : words.unreadable,
    })
  }
  return {
    state,
    product,
    choose(chosen: readonly File[]) {
      if (chosen.length === 0) return
      files.current = chosen
      void read(product)
    },
    chooseProduct(wanted: ImportProduct | '') {
      setProduct(wanted)
      if (files.current.length > 0) void read(wanted)
    },
  }
}
export type ExportChoice = ReturnType<typeof useExport>
