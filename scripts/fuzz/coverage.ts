import { Session } from 'node:inspector'

/** The parts of our sources that some work runs, by file and position, from V8's own counters. */
export type Coverage = { partsOf(work: () => void): Set<string> }

type Taken = {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[]
}

/** Starts the counters. `isOurs` selects the file URLs that count. */
export function openCoverage(isOurs: (url: string) => boolean): Coverage {
  const session = new Session()
  session.connect()
  const call = (method: string, params?: object): unknown => {
    let answer: unknown
    // `post` calls back before it returns, because the session is on this thread.
    session.post(method, params, (error, result) => {
      if (error) throw error
      answer = result
    })
    return answer
  }
  call('Profiler.enable')
  call('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const take = () => (call('Profiler.takePreciseCoverage') as Taken).result // also resets the counters
  return {
    partsOf(work) {
      take()
      work()
      const parts = new Set<string>()
      for (const { url, functions } of take().filter((each) => isOurs(each.url)))
        for (const { ranges } of functions)
          for (const { startOffset, endOffset, count } of ranges)
            if (count > 0) parts.add(`${url} ${startOffset} ${endOffset}`)
      return parts
    },
  }
}
