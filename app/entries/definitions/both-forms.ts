import { CANDIDATE_FORM } from './candidate-form.ts'
import { COSTUME_FORM } from './costume-form.ts'
import type { EntryType } from './document-kinds.ts'
import type { FormDescriptor } from './form.ts'

/** Both forms, by entry type. A screen of one form imports only that form, so that the browser does not fetch the other. */
export const FORMS: Readonly<Record<EntryType, FormDescriptor>> = { candidata: CANDIDATE_FORM, traje: COSTUME_FORM }
