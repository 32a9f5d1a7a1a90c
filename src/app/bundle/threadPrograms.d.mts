export declare function threadPrograms(checkout: string): string[];
