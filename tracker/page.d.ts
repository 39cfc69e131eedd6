/** What the tracker finds on a page beyond what every page has. */

interface BelfryOptions {
  props?: Record<string, string | number | boolean>
  /** false: it happened by itself, and a visit with nothing else is still a bounce. */
  interactive?: boolean
  /** Called once, with the answer where there was one. */
  callback?: (answer?: unknown) => void
  /** Milliseconds, of the tracker's own engagement. */
  e?: number
}

type BelfryCall = [name: string, options?: BelfryOptions | null | undefined]

interface Window {
  /** `q`: calls made before the tracker was there. */
  belfry?: ((...call: BelfryCall) => unknown) & { q?: BelfryCall[] }
  doNotTrack?: string
}

interface Document {
  prerendering?: boolean
}

interface Navigator {
  globalPrivacyControl?: boolean
}
