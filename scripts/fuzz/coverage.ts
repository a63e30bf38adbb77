import { Session } from 'node:inspector'

/** The parts of our sources that a piece of work runs, each by its file and place, by V8's own counters. */
export type Coverage = { partsOf(work: () => void): Set<string> }

type Taken = {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[]
}

/** Starts the counters. `isOurs`: the addresses of files that count. */
export function openCoverage(isOurs: (url: string) => boolean): Coverage {
  const session = new Session()
  session.connect()
  const call = (method: string, params?: object): unknown => {
    let answer: unknown
    // The answer comes before `post` returns: the session is one of this thread.
    session.post(method, params, (error, result) => {
      if (error) throw error
      answer = result
    })
    return answer
  }
  call('Profiler.enable')
  call('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const take = () => (call('Profiler.takePreciseCoverage') as Taken).result // which sets the counters to 0
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
