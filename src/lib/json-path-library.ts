/** The JSONPath library, which `json-path.ts` loads on first use. */
export {
  JSONPathEnvironment,
  JSONPathError,
  JSONPathLexerError,
  JSONPathRecursionLimitError,
} from 'json-p3'
