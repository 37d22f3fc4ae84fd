export { workOn } from '#app/platform/trabajo.client.ts'
