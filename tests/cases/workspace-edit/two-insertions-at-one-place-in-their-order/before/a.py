ad
