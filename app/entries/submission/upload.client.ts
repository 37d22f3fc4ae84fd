import { dropUploadOf } from '#app/core/uploads/drop-upload.client.ts'

/** Whose the uploads of a submission are. */
export const ownerOf = (submission: string) => ({ 'x-entrega': submission })

/** Tells the server that a file will not be needed after all. */
export const dropUpload = (submission: string, url: string | undefined): void => dropUploadOf(ownerOf(submission), url)
