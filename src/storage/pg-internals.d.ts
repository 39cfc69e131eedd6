// pg's conversion of JavaScript values to PostgreSQL's text format, which its types don't declare.
declare module 'pg/lib/utils.js' {
  export function prepareValue(value: unknown): string | Buffer | null
}
