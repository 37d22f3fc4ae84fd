import { CANDIDATE_FORM } from './candidate-form.ts'
import { COSTUME_FORM } from './costume-form.ts'
import type { EntryType } from './document-kinds.ts'
import type { FormDescriptor } from './form.ts'

/**
 * The screen of a form imports its descriptor alone instead of FORMS, so that the browser does not fetch the descriptor of the
 * other form.
 */
export const FORMS: Readonly<Record<EntryType, FormDescriptor>> = { candidata: CANDIDATE_FORM, traje: COSTUME_FORM }
