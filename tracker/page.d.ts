/** Globals that the standard DOM types don't declare. */

interface BelfryOptions {
  props?: Record<string, string | number | boolean>
  /** false for events without user interaction: a visit with only such events is still a bounce. */
  interactive?: boolean
  /** Called once, with the response if there is one. */
  callback?: (response?: unknown) => void
  /** Milliseconds, for the tracker's own `engagement` event. */
  e?: number
}

type BelfryCall = [name: string, options?: BelfryOptions | null | undefined]

interface Window {
  /** `q` holds calls from before the tracker was loaded. */
  belfry?: ((...call: BelfryCall) => unknown) & { q?: BelfryCall[] }
  doNotTrack?: string
}

interface Document {
  prerendering?: boolean
}

interface Navigator {
  globalPrivacyControl?: boolean
}
