import { useMemo } from 'preact/hooks'
import { encode } from 'uqr'

/** Scanners need a light margin of this many modules around the code. */
const QUIET_ZONE = 3

/** Drawn in the browser, so that the secret in it goes nowhere else. Always dark on light, because some scanners need that. */
export default function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
    const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
    return { path, size }
  }, [text])
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
