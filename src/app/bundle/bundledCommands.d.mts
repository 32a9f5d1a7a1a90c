export declare const BUNDLED: readonly string[];
export declare const CHECKOUT: string;
export declare const MANIFEST: string;
export declare function bundlesIn(checkout: string): string;
export declare function stampOf(path: string): string;
export declare function versionOf(checkout: string, name: string): string;
export declare function bundledCommandLine(command: string | undefined, checkout?: string): string | undefined;
